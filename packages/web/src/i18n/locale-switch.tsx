import type { ReactNode } from 'react'
import { LOCALES, setLocale, useLocale } from './locale.ts'
import { useTexts } from './texts.ts'
import { webTexts } from './web-texts.ts'

const NAMES = { en: 'English', ru: 'Русский' }

export function LocaleSwitch(): ReactNode {
  const t = useTexts(webTexts)
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
