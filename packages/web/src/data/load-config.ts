/** The server has answered, and there is no app at this address; or it could not say. */
export class ConfigUnavailable extends Error {
  readonly status: number
  constructor(status: number) {
    super(`/config.json answered ${status}`)
    this.status = status
  }
}

/** What the server says of the place this app is served from. */
export async function loadConfig<Config>(): Promise<Config> {
  const answer = await fetch('/config.json')
  if (!answer.ok) throw new ConfigUnavailable(answer.status)
  return (await answer.json()) as Config
}
