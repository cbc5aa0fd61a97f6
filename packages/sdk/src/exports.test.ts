import { describe, expect, it } from 'vitest'
import { removedTooEarly } from '../scripts/deprecation.ts'
import { readExports } from '../scripts/read-exports.ts'
import { readApiTable, withNew } from '../scripts/write-api.ts'
import * as index from './index.ts'
import * as module from './module/index.ts'

const exported = readExports()
const stable = new Set(exported.filter(({ tag }) => tag === 'stable').map(({ entry, name }) => `${entry} ${name}`))

describe('the exports of the package', () => {
  it('[SDK-09] are all marked as stable or experimental', () => {
    expect(exported.filter(({ tag }) => tag === undefined).map(({ entry, name }) => `${entry} ${name}`)).toEqual([])
    // The check above is complete only if `exported` has every value that a program can import.
    for (const [entry, seen] of Object.entries({ '.': index, './module': module })) {
      const listed = new Set(exported.filter((each) => each.entry === entry).map(({ name }) => name))
      const visible = Object.keys(seen)
      expect(visible.filter((name) => !listed.has(name))).toEqual([])
      expect(visible.length).toBeGreaterThan(5)
    }
  })

  it('[VER-05] include each export in api.md until six months after its deprecation, and api.md lists each stable export', () => {
    const rows = readApiTable()
    expect(removedTooEarly(rows, stable, Date.now())).toEqual([])
    expect(withNew(rows), 'run node scripts/run.mjs packages/sdk/scripts/write-api.ts').toEqual(rows)
  })

  it('[VER-05] are deprecated in the table of api.md if the code marks them as deprecated', () => {
    const marked = new Set(
      readApiTable().flatMap(({ entry, name, deprecated }) => (deprecated ? [`${entry} ${name}`] : [])),
    )
    const inCode = exported.filter((each) => each.deprecated).map(({ entry, name }) => `${entry} ${name}`)
    expect(inCode.filter((name) => !marked.has(name))).toEqual([])
  })

  it('are reported if they are removed without a deprecation, or sooner than six months after it', () => {
    const [first] = [...stable]
    const [entry = '', name = ''] = first!.split(' ')
    const without = new Set([...stable].filter((each) => each !== first))
    const now = Date.parse('2027-09-01')
    const found = (deprecated: string) => removedTooEarly([{ entry, name, since: '1.14.0', deprecated }], without, now)
    expect(found('')).toEqual([first])
    expect(found('2027-03-15')).toEqual([first])
    expect(found('someday')).toEqual([first])
    expect(found('2027-02-01')).toEqual([])
  })
})
