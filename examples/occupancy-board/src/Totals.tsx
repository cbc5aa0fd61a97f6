import type { ReactNode } from 'react'
import type { Choice, Total } from './arrange.ts'
import { STATES } from './occupancy.ts'
import { Bar, StateMark } from './StateMark.tsx'
import styles from './Totals.module.css'
import { useLocalization } from './words.ts'

export interface ChoiceProps {
  choice: Choice
  onChoose(change: Partial<Choice>): void
}

/** The totals of the rooms that match the storey, type and search. Each state is a button that filters by it. */
export function Totals({ total, choice, onChoose }: ChoiceProps & { total: Total }): ReactNode {
  const { words, number, percent } = useLocalization()
  const share = total.places === 0 ? 0 : total.people / total.places
  return (
    <div className={styles.totals}>
      <div className={styles.people}>
        <p className={styles.label}>{words.people}</p>
        <p className={styles.figure}>
          {total.counted === 0 ? '–' : number(total.people)}
          {total.counted > 0 && (
            <span className={styles.aside}>
              {words.ofPlaces(number(total.places))}, {percent(share)}
            </span>
          )}
        </p>
        <Bar share={share} state="all" />
        <p className={styles.note}>{words.countedIn(number(total.counted), number(total.rooms))}</p>
      </div>
      <fieldset className={styles.states} aria-label={words.byState}>
        {STATES.map((state) => (
          <button
            key={state}
            type="button"
            className={styles.state}
            aria-pressed={choice.state === state}
            onClick={() => onChoose({ state: choice.state === state ? undefined : state })}
          >
            <StateMark state={state} />
            <span className={styles.figure}>{number(total.states[state])}</span>
          </button>
        ))}
      </fieldset>
    </div>
  )
}
