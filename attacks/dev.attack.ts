import { closeFixture, openFixture } from './fixture.ts'
import { tryTransferred } from './transferred-connections.ts'

const fixture = await openFixture({ RATE_LIMIT_PER_MINUTE: '1000000', SANDBOX_RATE_LIMIT_PER_MINUTE: '1000000' })
const verdict = await tryTransferred(fixture, {
  seed: Number(process.env.ATTACK_SEED ?? 1),
  count: Number(process.env.ATTACK_COUNT ?? 10000),
  seconds: Number(process.env.ATTACK_SECONDS ?? 20),
})
process.stdout.write(fixture.system.output().slice(-3000))
await closeFixture(fixture, [verdict])
