import { useSyncExternalStore } from 'react'

export const LOCALES = ['en', 'ru'] as const
export type Locale = (typeof LOCALES)[number]

const STORAGE_KEY = 'storey.locale'
const listeners = new Set<() => void>()

const isLocale = (text: string | null | undefined): text is Locale => LOCALES.includes(text as Locale)

/** The stored choice, or else the first of the browser's languages that is in `LOCALES`, or else English. */
function initialLocale(): Locale {
  if (typeof localStorage === 'undefined') return 'en'
  const stored = localStorage.getItem(STORAGE_KEY)
  if (isLocale(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLocale) ?? 'en'
}

let current = initialLocale()
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

/** For code outside of components. */
export const currentLocale = (): Locale => current

export const useLocale = (): Locale => useSyncExternalStore(subscribe, currentLocale, currentLocale)
