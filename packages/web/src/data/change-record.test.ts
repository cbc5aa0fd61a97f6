import { copyEtag, etagOf, PreconditionFailedError } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { changeRecord, inVersion } from './change-record.ts'
import { shareAnswers } from './share-answers.ts'

const refused = () =>
  new PreconditionFailedError({ type: '', title: '', status: 412, detail: '', code: 'PRECONDITION_FAILED' })

async function known<T extends object>(record: T, etag: string): Promise<T> {
  const { createPlatformClient, bearer } = await import('@storey/sdk')
  const fetch = async () => new Response('{"id":"x"}', { headers: { etag } })
  const read = await createPlatformClient({ url: 'http://x', credential: bearer('t'), fetch }).webhooks.get('w')
  copyEtag(read, record)
  return record
}

describe('a change of a record', () => {
  it('is sent for the version that the page knows, without a read', async () => {
    const record = await known({ n: 1 }, '"1.a"')
    const sent: unknown[] = []
    const send = async (options: object) => void sent.push(options)
    await changeRecord(record, { read: () => Promise.reject(new Error('not read')), check: () => undefined, send })
    expect(sent).toEqual([{ ifMatch: record }])
    expect(inVersion({ n: 1 })).toEqual({})
  })

  it('is checked again and sent for the new version where somebody else was quicker', async () => {
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
      if (n === 2) throw new Error('no longer meant')
    }
    await expect(changeRecord(first, { ...change, check })).rejects.toThrow('no longer meant')
    const send = () => Promise.reject(refused())
    await expect(changeRecord(first, { ...change, send })).rejects.toThrow(PreconditionFailedError)
  })

  it('finds the version of a record that was read again, also where most of its answer is the same', async () => {
    const before = { changeset: await known({ n: 1, same: { a: 1 } }, '"1.a"') }
    const now = { changeset: await known({ n: 2, same: { a: 1 } }, '"2.a"') }
    const shared = shareAnswers(before, now) as typeof now
    expect(shared.changeset.same).toBe(before.changeset.same)
    expect([shared.changeset.n, etagOf(shared.changeset)]).toEqual([2, '"2.a"'])
    expect(etagOf(shareAnswers(undefined, now.changeset) as object)).toBe('"2.a"')
  })
})
