import { copyEtag, etagOf, PreconditionFailedError } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { changeListed, changeRecord, changeShown, ifUnchanged, OutdatedError } from './change-record.ts'
import { shareUnchanged } from './share-unchanged.ts'

const refused = () =>
  new PreconditionFailedError({ type: '', title: '', status: 412, detail: '', code: 'PRECONDITION_FAILED' })

async function known<T extends object>(record: T, etag: string): Promise<T> {
  const { createPlatformClient, bearer } = await import('@storey/sdk')
  const fetch = async () => new Response('{"id":"x"}', { headers: { etag } })
  const read = await createPlatformClient({ url: 'http://x', credential: bearer('t'), fetch }).webhooks.get('w')
  copyEtag(read, record)
  return record
}

describe('changing a record', () => {
  it('sends the known version as If-Match, without reading first', async () => {
    const record = await known({ n: 1 }, '"1.a"')
    const sent: unknown[] = []
    const send = async (options: object) => void sent.push(options)
    await changeRecord(record, { read: () => Promise.reject(new Error('not read')), check: () => undefined, send })
    expect(sent).toEqual([{ ifMatch: record }])
    expect(ifUnchanged({ n: 1 })).toEqual({})
  })

  it('reads, checks and sends again if somebody else changed the record, until a check or all sends fail', async () => {
    const [first, second] = [await known({ n: 1 }, '"1.a"'), await known({ n: 2 }, '"2.a"')]
    const checked: number[] = []
    const change = {
      read: async () => second,
      check: ({ n }: { n: number }) => void checked.push(n),
      async send({ ifMatch }: { ifMatch?: unknown }) {
        if (ifMatch === first) throw refused()
        return 'changed'
      },
    }
    expect(await changeRecord(first, change)).toBe('changed')
    expect(checked).toEqual([1, 2])
    const check = ({ n }: { n: number }) => {
      if (n === 2) throw new Error('no longer wanted')
    }
    await expect(changeRecord(first, { ...change, check })).rejects.toThrow('no longer wanted')
    const send = () => Promise.reject(refused())
    await expect(changeRecord(first, { ...change, send })).rejects.toThrow(PreconditionFailedError)
  })

  it('refuses to change a shown record that somebody else has changed, and gives the page the current one', async () => {
    const [first, second] = [await known({ n: 1 }, '"1.a"'), await known({ n: 2 }, '"2.a"')]
    const shown: object[] = []
    const change = {
      read: async () => second,
      onOutdated: (now: object) => void shown.push(now),
      async send({ ifMatch }: { ifMatch?: unknown }) {
        if (ifMatch !== second) throw refused()
        return 'changed'
      },
    }
    await expect(changeShown(first, change)).rejects.toThrow(OutdatedError)
    expect(shown).toEqual([second])
    expect(await changeShown(second, change)).toBe('changed')
    const other = () => Promise.reject(new Error('offline'))
    await expect(changeShown(first, { ...change, send: other })).rejects.toThrow('offline')
    await expect(changeShown(first, { ...change, read: other })).rejects.toThrow('offline')
    expect(shown).toEqual([second])
  })

  it('compares a row of a list with its record, and sends the version of that record', async () => {
    const record = await known({ n: 2 }, '"2.a"')
    const [shown, sent]: [object[], unknown[]] = [[], []]
    const change = (row: { n: number }) =>
      changeListed(row, {
        read: async () => record,
        isShown: ({ n }) => n === row.n,
        onOutdated: (now) => void shown.push(now),
        send: async (options) => void sent.push(options),
      })
    await expect(change({ n: 1 })).rejects.toThrow(OutdatedError)
    expect([shown, sent]).toEqual([[record], []])
    await change({ n: 2 })
    expect([shown, sent]).toEqual([[record], [{ ifMatch: record }]])
    // A row that was replaced with a record has its ETag.
    const replaced = await known({ n: 3 }, '"3.a"')
    await change(replaced)
    expect(sent.at(-1)).toEqual({ ifMatch: replaced })
  })

  it('uses the ETag of the latest read, even if parts of the response are unchanged', async () => {
    const before = { changeset: await known({ n: 1, same: { a: 1 } }, '"1.a"') }
    const now = { changeset: await known({ n: 2, same: { a: 1 } }, '"2.a"') }
    const shared = shareUnchanged(before, now) as typeof now
    expect(shared.changeset.same).toBe(before.changeset.same)
    expect([shared.changeset.n, etagOf(shared.changeset)]).toEqual([2, '"2.a"'])
    expect(etagOf(shareUnchanged(undefined, now.changeset) as object)).toBe('"2.a"')
  })
})
