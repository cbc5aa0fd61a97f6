import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import { THEME_CHOICES, useTheme } from './theme.ts'

const NAMES = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const
const ICONS = { system: 'monitor', light: 'sun', dark: 'moon' } as const

export function ThemeSwitch(): ReactNode {
  const t = useWords(webWords)
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
