import { useSyncExternalStore } from 'react'

export const LOCALES = ['en', 'ru'] as const
export type Locale = (typeof LOCALES)[number]

const STORAGE_KEY = 'storey.locale'
const listeners = new Set<() => void>()

const isLocale = (text: string | null | undefined): text is Locale => LOCALES.includes(text as Locale)

/** What was chosen here before, else what the browser asks for. */
function firstLocale(): Locale {
  if (typeof localStorage === 'undefined') return 'en'
  const kept = localStorage.getItem(STORAGE_KEY)
  if (isLocale(kept)) return kept
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLocale) ?? 'en'
}

let current = firstLocale()
showLocale()

function showLocale(): void {
  if (typeof document !== 'undefined') document.documentElement.lang = current
}

export function setLocale(locale: Locale): void {
  current = locale
  localStorage.setItem(STORAGE_KEY, locale)
  showLocale()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where nothing is drawn. */
export const currentLocale = (): Locale => current

export const useLocale = (): Locale => useSyncExternalStore(subscribe, () => current)
