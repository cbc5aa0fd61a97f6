import type { IncomingMessage } from 'node:http'

export interface PageText {
  title: string
  text: string
}

export interface HtmlPage {
  body: string
  headers: Record<string, string | number>
}

/** Whether the client is a browser, which gets a page instead of a problem in JSON. */
export const wantsPage = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

export type Language = 'en' | 'ru'

export const languageOf = ({ headers }: IncomingMessage): Language =>
  /^\s*ru\b/i.test(headers['accept-language'] ?? '') ? 'ru' : 'en'

export interface HtmlPageOptions {
  language: Language
  /** The page loads again after this many seconds. */
  refreshS?: number
  /** A link below the text. */
  link?: { href: string; text: string }
}

/** The colours are those of the web apps and of the sign-in pages. */
const STYLE = `:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--ground:#f4f5f7;--accent:#0b6661;--line:#d6d9dd}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#1b1e23;--ground:#121417;--accent:#5cc4bb;--line:#3a3f46}}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink)}
main{width:100%;max-width:28rem;background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:2rem}
.brand{display:flex;align-items:center;gap:.5rem;font-weight:600;margin:0 0 1.5rem}.brand svg{width:1.5rem;height:1.5rem;color:var(--accent)}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 .5rem}p{margin:0 0 1rem}main>:last-child{margin-bottom:0}a{color:var(--accent)}`
const MARK =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="M12 3 3 7.5 12 12l9-4.5zM3 12l9 4.5 9-4.5M3 16.5 12 21l9-4.5"/></svg>'

/** A page with a title and a sentence, without scripts. */
export function htmlPage({ title, text }: PageText, { language, refreshS, link }: HtmlPageOptions): HtmlPage {
  const refresh = refreshS === undefined ? '' : `<meta http-equiv="refresh" content="${refreshS}">`
  const anchor = link ? `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>` : ''
  const body = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${refresh}<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<main><p class="brand">${MARK} Storey</p><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${anchor}</main></html>`
  return {
    body,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      ...(refreshS === undefined ? {} : { 'retry-after': String(refreshS) }),
    },
  }
}

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
