import type { ReactNode } from 'react'
import { LOCALES, setLocale, useLocale } from './locale.ts'
import { webWords } from './web-words.ts'
import { useWords } from './words.ts'

const NAMES = { en: 'English', ru: 'Русский' }

export function LocaleSwitch(): ReactNode {
  const t = useWords(webWords)
  const locale = useLocale()
  return (
    <fieldset className="st-segments" aria-label={t('language')}>
      {LOCALES.map((one) => (
        <button key={one} type="button" lang={one} aria-pressed={one === locale} onClick={() => setLocale(one)}>
          {NAMES[one]}
        </button>
      ))}
    </fieldset>
  )
}
