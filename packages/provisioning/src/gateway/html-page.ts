import type { IncomingMessage } from 'node:http'

export interface PageText {
  title: string
  text: string
}

export interface HtmlPage {
  body: string
  headers: Record<string, string | number>
}

/** A browser gets a page instead of a problem in JSON. */
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

/** A page with a title and a sentence, without scripts. */
export function htmlPage({ title, text }: PageText, { language, refreshS, link }: HtmlPageOptions): HtmlPage {
  const refresh = refreshS === undefined ? '' : `<meta http-equiv="refresh" content="${refreshS}">`
  const anchor = link ? `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>` : ''
  const body = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${refresh}<title>${escapeHtml(title)}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${anchor}</html>`
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
