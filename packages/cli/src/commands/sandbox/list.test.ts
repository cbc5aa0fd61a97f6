import { describe, expect, it } from 'vitest'
import { sandboxRecord, scriptedService } from '../../testing/scripted-service.ts'
import { runTool } from '../../testing/test-context.ts'

const envFor = (url: string) => ({ SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url })

describe('sandbox list', () => {
  it('prints the body of the response unchanged, even if the list is empty', async () => {
    for (const data of [[], [sandboxRecord()]]) {
      const envelope = { data, total: data.length, limit: 50, offset: 0 }
      const { url } = await scriptedService(() => ({ json: envelope }))
      const { stdout } = await runTool(['sandbox', 'list', '--format=json'], { env: envFor(url) })
      expect(JSON.parse(stdout)).toEqual(envelope)
    }
  })

  it('prints all pages', async () => {
    const all = Array.from({ length: 5 }, (_, i) => sandboxRecord({ sandboxId: `sbx_${i}` }))
    const { url } = await scriptedService(({ path }) => {
      const offset = Number(new URL(path, 'http://x').searchParams.get('offset') ?? 0)
      return { json: { data: all.slice(offset, offset + 2), total: 5, limit: 2, offset } }
    })
    const { stdout } = await runTool(['sandbox', 'list', '--format=json'], { env: envFor(url) })
    expect(JSON.parse(stdout)).toEqual({ data: all, total: 5, limit: 5, offset: 0 })
  })

  it('and other commands show the known fields of a record from another version of the service', async () => {
    const record = { sandboxId: 'sbx_1', status: 'paused' }
    const { url } = await scriptedService(({ method }) => ({
      json: method === 'POST' ? record : { data: [record], total: 1, limit: 50, offset: 0 },
    }))
    for (const terminal of [true, false]) {
      for (const words of [['list'], ['extend', 'sbx_1', '--days=1'], ['create', '--no-wait']]) {
        const { code, stdout } = await runTool(['sandbox', ...words], { env: envFor(url), terminal })
        expect({ words, code }).toEqual({ words, code: 0 })
        expect(stdout).toMatch(/sbx_1.*paused|paused.*sbx_1/s)
        expect(stdout).not.toContain('undefined')
      }
    }
  })

  it('[OPR-02] shows that the operator has suspended a sandbox, and sandbox extend also shows why', async () => {
    const record = sandboxRecord({ suspension: { since: '2026-01-01T00:00:00.000Z', reason: 'unpaid bill' } })
    const { url } = await scriptedService(({ method }) => ({
      json: method === 'POST' ? record : { data: [record], total: 1, limit: 50, offset: 0 },
    }))
    for (const terminal of [true, false]) {
      expect((await runTool(['sandbox', 'list'], { env: envFor(url), terminal })).stdout).toContain('suspended')
    }
    const { stdout } = await runTool(['sandbox', 'extend', 'sbx_1', '--days=1'], { env: envFor(url), terminal: true })
    expect(stdout).toMatch(/is suspended by the operator.*unpaid bill/s)
  })

  it('and other commands report that the response is not from the service', async () => {
    for (const json of [null, {}, [], { data: [{}], total: 1 }]) {
      const { url } = await scriptedService(() => ({ json }))
      for (const words of [
        ['list'],
        ['create'],
        ['connect', 'sbx_1'],
        ['extend', 'sbx_1', '--days=1'],
        ['reset', 'sbx_1', '--yes'],
      ]) {
        const { code, stdout, stderr } = await runTool(['sandbox', ...words], { env: envFor(url) })
        expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: '' })
        expect(stderr).toMatch(/^svc: The response of \S+ is not from Storey.*\n {5}UNKNOWN \(200\)\n.*Is http.*--api/)
      }
    }
  })
})
