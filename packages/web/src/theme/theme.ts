import { useSyncExternalStore } from 'react'

export const THEME_CHOICES = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof THEME_CHOICES)[number]

const STORAGE_KEY = 'storey.theme'
const listeners = new Set<() => void>()

const storedChoice = (): ThemeChoice =>
  THEME_CHOICES.find((choice) => choice === localStorage.getItem(STORAGE_KEY)) ?? 'system'

let choice: ThemeChoice = typeof localStorage === 'undefined' ? 'system' : storedChoice()

/** Applies the stored theme. Call it before the first render. */
export function applyTheme(): void {
  if (choice === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
}

function setChoice(next: ThemeChoice): void {
  choice = next
  localStorage.setItem(STORAGE_KEY, next)
  applyTheme()
  for (const listener of listeners) listener()
}

const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  const system = systemIsDark()
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

const shownTheme = () => (choice === 'system' ? (systemIsDark().matches ? 'dark' : 'light') : choice)

/** `theme` is what is shown, `choice` what the user selected. */
export function useTheme(): { theme: 'light' | 'dark'; choice: ThemeChoice; setChoice(next: ThemeChoice): void } {
  const theme = useSyncExternalStore(subscribe, shownTheme)
  const chosen = useSyncExternalStore(subscribe, () => choice)
  return { theme, choice: chosen, setChoice }
}
