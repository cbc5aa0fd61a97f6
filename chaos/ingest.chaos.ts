import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../acceptance/system/call.ts'
import { underKills, type Write } from './under-kills.ts'

/** Writes over REST, one request after another on one connection, which the gateway soon transfers to the stack. */
const write: Write = async (target, isOver) => {
  const { base, token } = target
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let refused = 0
  for (let n = 0; !isOver(); n++) {
    // Sends the same body again, as a client does, although a failed request may have been stored.
    while (!(await isAccepted(target.body(n)))) {
      refused++
      await sleep(50)
    }
    target.acknowledged(n)
  }
  return refused

  async function isAccepted(body: string): Promise<boolean> {
    const answer = await call(`${base}/telemetry/observations`, { token, body, agent }).catch(() => undefined)
    if (answer !== undefined && answer.status >= 300 && answer.status < 500) throw new Error(answer.text)
    return answer?.status === 202
  }
}

await underKills({}, write)
