import { describe, expect, it } from 'vitest'
import { summaryOf } from './statement-summary.ts'

const summary = (parts: TemplateStringsArray, ..._values: unknown[]) => summaryOf(parts).text

describe('the summary of a statement', () => {
  it('has the operations and the tables', () => {
    expect(summary`select id from spaces where id = ${1}`).toBe('select spaces')
    expect(summary`INSERT INTO "points" (id) values (${1})`).toBe('insert points')
    expect(summary`update webhooks set paused_by = ${'x'} where id = ${1} returning id`).toBe('update webhooks')
    expect(summary`delete from nodes where id = any(${[]})`).toBe('delete nodes')
    expect(summaryOf(['copy nodes']).text).toBe('copy nodes')
    expect(summary`select s.id from spaces s join storeys t on t.id = s.storey_id left join spaces u on true`).toBe(
      'select spaces storeys',
    )
  })

  it('has every table of a statement with common table expressions, and not the names of these expressions', () => {
    expect(summary`
      with webhook as (select id from webhooks where id = ${1} for key share),
      event as materialized (insert into outbound_events (id) select ${1} from webhook returning id)
      insert into webhook_deliveries (id) select event.id from event, webhook`).toBe(
      'select webhooks insert outbound_events webhook_deliveries',
    )
  })

  it('has no functions, and no words after a `from` or `update` that does not precede a table', () => {
    expect(summary`
      insert into latest_values (point) select l.* from unnest(${[]}::integer[]) as l
      on conflict (point) do update set at = excluded.at where excluded.at is distinct from latest_values.at`).toBe(
      'insert latest_values',
    )
    expect(summary`select extract(epoch from day) from observation_chunks for update of c`).toBe(
      'select observation_chunks',
    )
    expect(summary`select substring(e.body from 1 for ${1}) from outbound_events e -- from nowhere`).toBe(
      'select outbound_events',
    )
  })

  it('is the first word of a statement without tables', () => {
    expect(summary`select pg_try_advisory_lock(${1})`).toBe('select')
    expect(summaryOf(['commit']).text).toBe('commit')
    expect(summaryOf(['']).text).toBe('statement')
  })

  it('never has a value, and is computed once for each place in the code', () => {
    const find = (id: string) => [
      summaryOf(((parts: TemplateStringsArray, ..._values: unknown[]) => parts)`select id from t where id = ${id}`),
    ]
    const [first, second] = [find('secret'), find('another')]
    expect(first[0]!.text).toBe('select t')
    expect(second[0]).toBe(first[0])
  })
})
