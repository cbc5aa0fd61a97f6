/** What the server says of the place this app is served from. */
export async function loadConfig<Config>(): Promise<Config> {
  const answer = await fetch('/config.json')
  if (!answer.ok) throw new Error(`/config.json answered ${answer.status}`)
  return (await answer.json()) as Config
}
