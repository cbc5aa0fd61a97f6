import { type ReactNode, useId } from 'react'
import styles from './Facet.module.css'
import { Bar } from './StateMark.tsx'
import { useLocalization } from './words.ts'

export interface Answer {
  id: string
  label: string
  free: number
  rooms: number
}

/** One filter with its options, and the number of free rooms for each. */
export function Facet(props: {
  title: string
  answers: readonly Answer[]
  chosen: string | undefined
  onChoose(id: string | undefined): void
}): ReactNode {
  const { words } = useLocalization()
  const headingId = useId()
  const sum = (key: 'free' | 'rooms') => props.answers.reduce((total, answer) => total + answer[key], 0)
  const all = { id: '', label: words.all, free: sum('free'), rooms: sum('rooms') }
  return (
    <section className={styles.facet} aria-labelledby={headingId}>
      <h2 id={headingId} className={styles.title}>
        {props.title}
      </h2>
      <ul className={styles.answers}>
        {[all, ...props.answers].map((answer) => (
          <li key={answer.id}>
            <Choose
              answer={answer}
              isChosen={(props.chosen ?? '') === answer.id}
              onChoose={() => props.onChoose(answer.id === '' ? undefined : answer.id)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Choose(props: { answer: Answer; isChosen: boolean; onChoose(): void }): ReactNode {
  const { words, number } = useLocalization()
  const { label, free, rooms } = props.answer
  return (
    <button type="button" className={styles.answer} aria-pressed={props.isChosen} onClick={props.onChoose}>
      <span className={styles.label}>{label}</span>
      <span className={styles.count} aria-hidden="true">
        {number(free)} / {number(rooms)}
      </span>
      <span className={styles.unseen}>, {words.freeOf(number(free), number(rooms))}</span>
      <span className={styles.bar}>
        <Bar share={rooms === 0 ? 0 : free / rooms} state="free" />
      </span>
    </button>
  )
}
