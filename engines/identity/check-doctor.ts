import { match, ok } from 'node:assert/strict'
import { runOperator } from '../../packages/host/src/operator/run-operator.ts'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import type { Installation } from './installation.ts'

interface Finding {
  level: 'ok' | 'warning' | 'problem'
  area: string
  text: string
}

/** The operator's `doctor` finds the realms and their clients, and reports clients that the provider does not know. */
export async function checkDoctor(suite: Suite, { system, provider }: Installation): Promise<void> {
  const findings = async (settings: Record<string, string> = {}): Promise<Finding[]> => {
    const report = JSON.parse(await runOperator(['doctor', '--json'], { ...system.env, ...settings }))
    return report.findings.filter(({ area }: Finding) => area === 'identity')
  }

  await suite.check('the doctor finds both realms and the clients', async () => {
    const found = await findings()
    equal(
      found.filter(({ level }) => level === 'problem').map(({ text }) => text),
      [],
      'problems',
    )
    const texts = found.map(({ text }) => text).join('\n')
    for (const issuer of Object.values(provider.issuers)) ok(texts.includes(`is ${issuer}, with`), issuer)
    match(texts, /may sign in/)
    match(texts, /gets device codes|may sign in with a browser/)
  })

  await suite.check('the doctor reports clients that the provider does not know', async () => {
    const found = await findings({ PORTAL_CLIENT_ID: 'unknown-portal', CLI_CLIENT_ID: 'unknown-tool' })
    const texts = found.filter(({ level }) => level !== 'ok').map(({ text }) => text)
    match(texts.join('\n'), /the client unknown-portal is not accepted/)
    match(texts.join('\n'), /the client unknown-tool is not accepted/)
  })
}
