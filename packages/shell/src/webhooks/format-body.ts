/** Formats a JSON body with one field per line. Returns any other text unchanged, such as a JSON body that was cut. */
export function formatBody(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
