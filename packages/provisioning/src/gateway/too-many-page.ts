import type { IncomingMessage } from 'node:http'

const TEXTS = {
  en: {
    title: 'Too many sign-ins',
    text: (seconds: number) =>
      `Your network has started too many sign-ins. This page tries again in ${seconds} seconds.`,
  },
  ru: {
    title: 'Слишком много попыток входа',
    text: (seconds: number) =>
      `Из вашей сети начато слишком много входов. Страница повторит попытку через ${seconds} с.`,
  },
}

/** A browser gets a page instead of a problem in JSON. */
export const wantsPage = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '')

export function tooManyPage({ headers }: IncomingMessage, seconds: number) {
  const language = /^\s*ru\b/i.test(headers['accept-language'] ?? '') ? 'ru' : 'en'
  const { title, text } = TEXTS[language]
  const body = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${seconds}"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
<h1>${title}</h1><p>${text(seconds)}</p></html>`
  return {
    body,
    headers: {
      'retry-after': String(seconds),
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    },
  }
}
