import type { ReactNode } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { Icon } from '../ui/icon.tsx'
import { THEME_CHOICES, useTheme } from './theme.ts'

const NAMES = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const
const ICONS = { system: 'monitor', light: 'sun', dark: 'moon' } as const

export function ThemeSwitch(): ReactNode {
  const t = useTexts(webTexts)
  const { choice, setChoice } = useTheme()
  return (
    <fieldset className="st-segments" aria-label={t('theme')}>
      {THEME_CHOICES.map((one) => (
        <button
          key={one}
          type="button"
          title={t(NAMES[one])}
          aria-label={t(NAMES[one])}
          aria-pressed={one === choice}
          onClick={() => setChoice(one)}
        >
          <Icon name={ICONS[one]} />
        </button>
      ))}
    </fieldset>
  )
}
