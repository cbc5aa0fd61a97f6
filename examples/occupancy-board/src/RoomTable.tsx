import { memo, type ReactNode, useState } from 'react'
import { COLUMNS, type Column } from './arrange.ts'
import styles from './RoomTable.module.css'
import { Bar, StateMark } from './StateMark.tsx'
import type { ChoiceProps } from './Totals.tsx'
import type { RoomOccupancy } from './use-occupancy.ts'
import { useLocalization } from './words.ts'

export interface Names {
  storey(id: string): string
  type(slug: string): string
  /** The building's time zone, in which times are shown. */
  timeZone: string | undefined
}

interface Props extends ChoiceProps {
  rows: readonly RoomOccupancy[]
  names: Names
  now: number
}

/** How many rooms are shown at first, and how many more after each click: a large building has too many to show all. */
const STEP = 150

export function RoomTable({ rows, names, now, choice, onChoose }: Props): ReactNode {
  const { words, ago } = useLocalization()
  const [limit, setLimit] = useState(STEP)
  const rest = rows.length - limit
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <Heading key={column} column={column} choice={choice} onChoose={onChoose} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit).map((row) => (
            <Row
              key={row.room.id}
              name={row.room.name}
              storey={names.storey(row.room.storeyId)}
              type={names.type(row.room.typeSlug)}
              capacity={row.room.capacity}
              state={row.state}
              count={row.count}
              at={row.at}
              timeZone={names.timeZone}
              age={row.at === undefined ? words.never : ago(row.at, now)}
            />
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <button type="button" className={styles.more} onClick={() => setLimit(limit + STEP)}>
          {words.more(Math.min(rest, STEP))}
        </button>
      )}
    </div>
  )
}

function Heading({ column, choice, onChoose }: ChoiceProps & { column: Column }): ReactNode {
  const { words } = useLocalization()
  const isSorted = choice.sort === column
  const way = choice.isDescending ? 'descending' : 'ascending'
  const next = { sort: column, isDescending: isSorted && !choice.isDescending }
  return (
    <th scope="col" aria-sort={isSorted ? way : undefined} data-column={column}>
      <button type="button" className={styles.sort} onClick={() => onChoose(next)}>
        {words.columns[column]}
        <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true" data-way={isSorted ? way : undefined}>
          <path d="M4 1.5 7 6H1z" />
        </svg>
      </button>
    </th>
  )
}

interface RowProps extends Pick<RoomOccupancy, 'state' | 'count' | 'at'> {
  name: string
  storey: string
  type: string
  capacity: number
  age: string
  timeZone: string | undefined
}

/** Rendered only if its content has changed: values arrive many times a second. */
const Row = memo(function Row({ name, storey, type, capacity, state, count, at, age, timeZone }: RowProps): ReactNode {
  const { words, number, locale } = useLocalization()
  const isKnown = state !== 'unknown'
  const text =
    count !== undefined
      ? words.of(number(count), number(capacity))
      : isKnown
        ? words.notCounted(number(capacity))
        : words.places(number(capacity))
  return (
    <tr data-state={state}>
      <th scope="row">{name}</th>
      <td>{storey}</td>
      <td>{type}</td>
      <td>
        <StateMark state={state} />
      </td>
      <td>
        <span className={styles.people}>
          {count === undefined ? <span /> : <Bar share={count / capacity} state={state} />}
          <span className={styles.count}>
            {text}
            {!isKnown && count !== undefined && <span className={styles.old}>, {words.lastKnown}</span>}
          </span>
        </span>
      </td>
      <td
        className={styles.age}
        title={at === undefined ? undefined : new Date(at).toLocaleString(locale, { timeZone, timeZoneName: 'short' })}
      >
        {age}
      </td>
    </tr>
  )
})
