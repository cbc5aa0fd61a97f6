const MAX_REDIRECTS = 11

/** A browser without JavaScript. It supports redirects, forms, and cookies with paths. */
export class Browser {
  readonly #cookies = new Map<string, { name: string; value: string; path: string; host: string }>()
  /** Origins with a server. A redirect to any other origin, such as an application's, is not followed. */
  readonly #servedOrigins: Set<string>
  /** Maps a public origin to the actual origin of the server behind its proxy. */
  readonly via = new Map<string, string>()

  constructor(...servedOrigins: string[]) {
    this.#servedOrigins = new Set(servedOrigins)
  }

  async open(url: string | URL, headers: Record<string, string> = {}): Promise<BrowserPage> {
    return await this.#go(new URL(url), { method: 'GET', headers })
  }

  /** Fills in a form of the page and submits it. */
  async submit(page: BrowserPage, fields: Record<string, string> = {}, which = 0): Promise<BrowserPage> {
    const form = page.forms[which]
    if (!form) throw new Error(`no form ${which} on ${page.url}: ${page.text.slice(-500)}`)
    return await this.post(new URL(form.action, page.url), { ...form.fields, ...fields })
  }

  /** Submits the first form of the page, and returns the target of the redirect without following it. */
  async submitOnly(page: BrowserPage, fields: Record<string, string>): Promise<URL> {
    const form = page.forms[0]!
    const url = new URL(form.action, page.url)
    const body = new URLSearchParams({ ...form.fields, ...fields })
    const { headers } = await this.#go(url, { method: 'POST', body, headers: { origin: url.origin } }, MAX_REDIRECTS)
    return new URL(headers.get('location')!, url)
  }

  async post(url: URL, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<BrowserPage> {
    return await this.#go(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: url.origin, ...headers },
    })
  }

  cookies(): { name: string; value: string; path: string }[] {
    return [...this.#cookies.values()]
  }

  async #go(url: URL, init: RequestInit, depth = 0): Promise<BrowserPage> {
    if (!this.#servedOrigins.has(url.origin)) return new BrowserPage(url, new Response(null, { status: 204 }), '')
    const response = await fetch(new URL(url.pathname + url.search, this.via.get(url.origin) ?? url), {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html,*/*;q=0.8', cookie: this.#cookiesFor(url), ...(init.headers as object) },
    })
    this.keep(url, response.headers.getSetCookie())
    const location = response.headers.get('location')
    if (location === null || depth >= MAX_REDIRECTS) return new BrowserPage(url, response, await response.text())
    return await this.#go(new URL(location, url), { method: 'GET', headers: language(init) }, depth + 1)
  }

  #cookiesFor(url: URL): string {
    return [...this.#cookies.values()]
      .filter(
        ({ host, path }) =>
          host === url.hostname && (url.pathname === path || url.pathname.startsWith(`${path.replace(/\/$/, '')}/`)),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  /**
   * Sets cookies for this origin, as a page on a sibling host can do for cookies whose names do not have the prefix
   * `__Host-`.
   */
  setForeignCookies(origin: string, pairs: readonly string[]): void {
    this.keep(new URL(origin), [...pairs])
  }

  keep(url: URL, lines: string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(/;\s*/)
      const [name = '', value = ''] = pair.split(/=(.*)/)
      const read = (key: string) => attributes.find((a) => a.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1)
      const path = read('path') ?? '/'
      const expires = read('expires')
      const key = `${url.hostname} ${path} ${name}`
      if (expires !== undefined && Date.parse(expires) <= Date.now()) this.#cookies.delete(key)
      else this.#cookies.set(key, { name, value, path, host: url.hostname })
    }
  }
}

/** The header with the language, which a browser also sends with a request that follows a redirect. */
const language = ({ headers }: RequestInit): Record<string, string> => {
  const { 'accept-language': asked } = (headers ?? {}) as Record<string, string>
  return asked === undefined ? {} : { 'accept-language': asked }
}

export class BrowserPage {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string

  constructor(url: URL, response: Response, text: string) {
    this.url = url
    this.status = response.status
    this.headers = response.headers
    this.text = text
  }

  get title(): string {
    return plain((/<h1>(.*?)<\/h1>/s.exec(this.text)?.[1] ?? '').replace(/<[^>]*>/g, ''))
  }

  get error(): string | undefined {
    const found = /role="alert">(.*?)</s.exec(this.text)?.[1]
    return found === undefined ? undefined : plain(found)
  }

  /** The targets of the page's links. */
  get links(): string[] {
    return [...this.text.matchAll(/<a href="([^"]*)">/g)].map(([, address]) => plain(address!))
  }

  get forms(): { action: string; fields: Record<string, string> }[] {
    return [...this.text.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs)].map(
      ([, action, inside]) => ({
        action: plain(action!),
        fields: Object.fromEntries(
          [...inside!.matchAll(/<input\b([^>]*)>/gs)].flatMap(([, attributes]) => {
            const name = /\bname="([^"]*)"/.exec(attributes!)?.[1]
            return name === undefined ? [] : [[name, plain(/\bvalue="([^"]*)"/.exec(attributes!)?.[1] ?? '')]]
          }),
        ),
      }),
    )
  }
}

const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
