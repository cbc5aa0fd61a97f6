import type { IncomingMessage } from 'node:http'
import { type HtmlPage, htmlPage, languageOf } from './html-page.ts'

const TEXTS = {
  en: (seconds: number) => ({
    title: 'Too many sign-ins',
    text: `Your network has started too many sign-ins. This page tries again in ${seconds} seconds.`,
  }),
  ru: (seconds: number) => ({
    title: 'Слишком много попыток входа',
    text: `Из вашей сети начато слишком много входов. Страница повторит попытку через ${seconds} с.`,
  }),
}

export function tooManyPage(request: IncomingMessage, seconds: number): HtmlPage {
  const language = languageOf(request)
  return htmlPage(TEXTS[language](seconds), { language, refreshS: seconds })
}
