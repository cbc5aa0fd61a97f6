import { useCallback, useState } from 'react'
import { type DataColumn, isData } from './column.ts'

/** The columns that the user has shown or hidden, by key. Of the other columns, those with `isOptional` are hidden. */
export type ColumnChoice = Readonly<Record<string, boolean>>

export const mayHide = (column: DataColumn<never>): boolean => isData(column) && !column.isHeader

export const isShown = (column: DataColumn<never>, choice: ColumnChoice): boolean =>
  !mayHide(column) || (choice[column.key] ?? !column.isOptional)

const storageKey = (name: string) => `storey.columns.${name}`

/** The stored text can be anything, for example a choice from an older version of the app. */
export function readChoice(text: string | null): ColumnChoice {
  try {
    const read: unknown = JSON.parse(text ?? '{}')
    if (typeof read !== 'object' || read === null) return {}
    return Object.fromEntries(Object.entries(read).filter(([, isVisible]) => typeof isVisible === 'boolean'))
  } catch {
    return {}
  }
}

/** The user's choice of columns for the tables with this name. The browser remembers the choice. */
export function useColumnChoice(name: string): [ColumnChoice, (choice: ColumnChoice) => void] {
  const [choice, setChoice] = useState(() => readChoice(localStorage.getItem(storageKey(name))))
  const change = useCallback(
    (changed: ColumnChoice) => {
      setChoice(changed)
      if (Object.keys(changed).length === 0) localStorage.removeItem(storageKey(name))
      else localStorage.setItem(storageKey(name), JSON.stringify(changed))
    },
    [name],
  )
  return [choice, change]
}
