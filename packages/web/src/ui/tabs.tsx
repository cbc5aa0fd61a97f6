import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'

interface TabsProps<Key extends string> {
  label: string
  tabs: readonly { key: Key; label: string; content: () => ReactNode }[]
  selected: Key
  onSelect(key: NoInfer<Key>): void
}

/** Tabs that users can select with the arrow keys, Home and End. */
export function Tabs<Key extends string>({ label, tabs, selected, onSelect }: TabsProps<Key>): ReactNode {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(
    0,
    tabs.findIndex(({ key }) => key === selected),
  )
  const move = (event: KeyboardEvent) => {
    const targets: Record<string, number> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const next = targets[event.key]
    if (next === undefined) return
    event.preventDefault()
    onSelect(tabs[next]!.key)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className="st-tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab, n) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            aria-selected={n === at}
            aria-controls={`${id}-panel`}
            tabIndex={n === at ? 0 : -1}
            onClick={() => onSelect(tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[at]!.key}`}>
        {tabs[at]!.content()}
      </div>
    </div>
  )
}
