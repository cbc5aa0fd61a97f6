/** The address of the history page that compares a snapshot with another one, or with the current building. */
export function compareAddress(from: string, to: string | undefined): string {
  const query = new URLSearchParams({ ...(to === undefined ? {} : { at: to }), from })
  return `/history?${query}`
}
