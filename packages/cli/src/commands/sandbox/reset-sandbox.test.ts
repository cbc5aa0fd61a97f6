import { describe, expect, it } from 'vitest'
import { type Answer, sandboxRecord, scriptedService } from '../../testing/scripted-service.ts'
import { runTool } from '../../testing/test-context.ts'

const busy = { json: sandboxRecord() }
const ready = { json: sandboxRecord({ status: 'ready' }) }

async function reset(sent: Answer, responses: readonly Answer[], ...words: string[]) {
  let nth = 0
  const { url, received } = await scriptedService(({ method }) => (method === 'POST' ? sent : responses[nth++]!))
  const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
  const ended = await runTool(['sandbox', 'reset', 'sbx_1', '--yes', ...words], { env })
  return { ...ended, sent: received.filter(({ method }) => method === 'POST').length, polls: nth }
}

describe('sandbox reset', () => {
  it('[CLI-23] polls until the sandbox is ready again', async () => {
    const accepted = { status: 202, json: sandboxRecord() }
    expect(await reset(accepted, [busy, ready])).toMatchObject({ code: 0, polls: 2 })
    expect(await reset(accepted, [], '--no-wait')).toMatchObject({ code: 0, polls: 0 })
  })

  it('[CLI-32] exits with 1 and reports that the reset failed', async () => {
    const failed = { json: sandboxRecord({ status: 'failed', failureReason: 'the disk is full' }) }
    const { code, stderr } = await reset({ status: 202, json: sandboxRecord() }, [failed])
    expect(code).toBe(1)
    expect(stderr).toContain('could not be reset: the disk is full.')
  })

  it('keeps polling when the response was lost and the reset is in progress', async () => {
    expect(await reset('cut', [busy, busy, ready])).toMatchObject({ code: 0, sent: 1 })
  })

  it('does not reset twice when the response was lost', async () => {
    const { code, sent, stderr } = await reset('cut', [ready, ready])
    expect({ code, sent }).toEqual({ code: 2, sent: 1 })
    expect(stderr).toContain('may or may not have been reset')
  })
})
