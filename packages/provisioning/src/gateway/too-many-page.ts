import type { IncomingMessage } from 'node:http'
import { type HtmlPage, htmlPage, languageOf } from './html-page.ts'

const TEXTS = {
  en: (seconds: number) => ({
    title: 'Too many sign-ins',
    text: `Your network has sent too many sign-in requests. This page tries again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  }),
  ru: (seconds: number) => ({
    title: 'Слишком много попыток входа',
    text: `Из вашей сети пришло слишком много запросов на вход. Страница повторит попытку через ${seconds} с.`,
  }),
}

export function tooManyPage(request: IncomingMessage, seconds: number): HtmlPage {
  const language = languageOf(request)
  return htmlPage(TEXTS[language](seconds), { language, refreshS: seconds })
}
