import type { IncomingMessage, ServerResponse } from 'node:http'
import { problems } from '@storey/contract'
import type { Exchange } from './connection.ts'
import { endWhenRead } from './end-when-read.ts'
import { type HtmlPage, htmlPage, languageOf, wantsPage } from './html-page.ts'

const TEXTS = {
  sandbox: {
    en: { title: 'No such sandbox', text: 'It was deleted, it has expired, or the address is misspelled.' },
    ru: { title: 'Такой песочницы нет', text: 'Она удалена, её срок истёк, или в адресе ошибка.' },
  },
  host: {
    en: { title: 'Page not found', text: 'This service does not use this address.' },
    ru: { title: 'Страница не найдена', text: 'Этот сервис не использует этот адрес.' },
  },
}
const LINK = { en: 'Your sandboxes', ru: 'Ваши песочницы' }

/** A browser gets a page with a link to the portal. Any other client gets a problem. */
export async function answerUnknownHost(
  exchange: Exchange,
  what: 'sandbox' | 'host',
  publicUrl: string,
): Promise<void> {
  const { request, response } = exchange
  if (!wantsPage(request)) throw problems.notFound(what)
  const { body, headers } = unknownHostPage(request, what, publicUrl)
  response.writeHead(404, headers).write(request.method === 'HEAD' ? '' : body)
  await endWhenRead(exchange)
}

function unknownHostPage(request: IncomingMessage, what: 'sandbox' | 'host', publicUrl: string): HtmlPage {
  const language = languageOf(request)
  return htmlPage(TEXTS[what][language], { language, link: { href: publicUrl, text: LINK[language] } })
}

/** Redirects a browser to the public address, where sign-in works. Returns false when the request is not for a page. */
export function redirectPage(request: IncomingMessage, response: ServerResponse, publicUrl: string): boolean {
  if (!wantsPage(request)) return false
  response.writeHead(307, {
    location: `${publicUrl}${request.url}`,
    'content-length': 0,
    'cache-control': 'no-store',
  })
  response.end()
  return true
}
