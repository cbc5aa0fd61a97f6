/** `/config.json` answered with an error: there is no app at this address, or the server failed. */
export class ConfigUnavailable extends Error {
  readonly status: number
  constructor(status: number) {
    super(`/config.json responded with status ${status}`)
    this.status = status
  }
}

/** Loads the settings that the server has for this app. */
export async function loadConfig<Config>(): Promise<Config> {
  const response = await fetch('/config.json')
  if (!response.ok) throw new ConfigUnavailable(response.status)
  return (await response.json()) as Config
}
