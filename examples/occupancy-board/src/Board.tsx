import { type ReactNode, useMemo, useState } from 'react'
import { type Choice, chosen, EVERYTHING, sorted, totalOf } from './arrange.ts'
import styles from './Board.module.css'
import { Facet } from './Facet.tsx'
import { SILENT_AFTER_MS } from './occupancy.ts'
import { type Names, RoomTable } from './RoomTable.tsx'
import { Totals } from './Totals.tsx'
import { typeNameIn } from './type-names.ts'
import type { Board as Occupied } from './use-occupancy.ts'
import type { BoardData } from './use-rooms.ts'
import { useLocalization } from './words.ts'

interface BoardProps {
  data: BoardData
  board: Occupied
  timeZone: string | undefined
}

export function Board({ data, board, timeZone }: BoardProps): ReactNode {
  const { words, locale, ago } = useLocalization()
  const [choice, setChoice] = useState<Choice>(EVERYTHING)
  const choose = (change: Partial<Choice>) => setChoice((before) => ({ ...before, ...change }))
  const { rows, now, lastDataAt } = board

  const names: Names = useMemo(() => {
    const storeys = new Map(data.storeys.map(({ id, name }) => [id, name]))
    return { storey: (id) => storeys.get(id) ?? '', type: typeNameIn(locale, data.typeNames), timeZone }
  }, [data, locale, timeZone])
  const order = useMemo(
    () => ({ storeyIds: data.storeys.map(({ id }) => id), typeName: names.type, locale }),
    [data, names, locale],
  )
  const shown = useMemo(() => sorted(chosen(rows, choice), choice, order), [rows, choice, order])

  const { storeyId, typeSlug, search, state } = choice
  const slugs = useMemo(() => [...new Set(data.rooms.map((room) => room.typeSlug))], [data])
  const freeIn = (part: Partial<Choice>) => {
    const { free, rooms } = totalOf(chosen(rows, { search, ...part }))
    return { free, rooms }
  }
  const byStorey = data.storeys.map(({ id, name }) => ({ id, label: name, ...freeIn({ storeyId: id, typeSlug }) }))
  const byType = slugs
    .map((slug) => ({ id: slug, label: names.type(slug), ...freeIn({ typeSlug: slug, storeyId }) }))
    .sort((a, b) => a.label.localeCompare(b.label, locale))

  return (
    <>
      {now - lastDataAt > SILENT_AFTER_MS && (
        <p className={styles.note} role="status">
          {lastDataAt === 0 ? words.noData : words.silent(ago(lastDataAt, now))}
        </p>
      )}
      {data.rooms.every(({ counters, presences }) => counters.length + presences.length === 0) && (
        <p className={styles.note}>{words.noSensors}</p>
      )}
      <Totals total={totalOf(chosen(rows, { storeyId, typeSlug, search }))} choice={choice} onChoose={choose} />
      <div className={styles.columns}>
        <div className={styles.side}>
          <Facet
            title={words.freeByStorey}
            answers={byStorey}
            chosen={storeyId}
            onChoose={(id) => choose({ storeyId: id })}
          />
          <Facet
            title={words.freeByType}
            answers={byType}
            chosen={typeSlug}
            onChoose={(id) => choose({ typeSlug: id })}
          />
        </div>
        <div className={styles.list}>
          <div className={styles.bar}>
            <input
              type="search"
              className={styles.search}
              aria-label={words.search}
              placeholder={words.search}
              value={search}
              onChange={(event) => choose({ search: event.target.value })}
            />
            <span className={styles.shown}>{words.shown(shown.length)}</span>
            {(storeyId ?? typeSlug ?? state ?? (search || undefined)) !== undefined && (
              <button type="button" className={styles.clear} onClick={() => setChoice(EVERYTHING)}>
                {words.clear}
              </button>
            )}
          </div>
          {shown.length === 0 ? (
            <p className={styles.empty}>{words.none}</p>
          ) : (
            <RoomTable rows={shown} names={names} now={now} choice={choice} onChoose={choose} />
          )}
        </div>
      </div>
    </>
  )
}
