import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The test files that take longest. A new clone has no durations of an earlier run to order them by. */
const SLOW = [
  'packages/platform/src/features/ifc-import/ifc-import.test.ts',
  'packages/provisioning/src/gateway/connections.test.ts',
  'packages/provisioning/src/mqtt/external-broker.test.ts',
  'packages/ifc/src/read-ifc-model.test.ts',
  'packages/provisioning/src/mqtt/dead-letters.test.ts',
  'packages/platform/src/main.test.ts',
  'packages/provisioning/src/stacks/stacks.test.ts',
  'packages/provisioning/src/mqtt/unauthenticated.test.ts',
  'packages/provisioning/src/reconciler/migrate.test.ts',
  'packages/provisioning/src/mqtt/embedded-broker.test.ts',
  'packages/provisioning/src/stacks/waker.test.ts',
  'packages/provisioning/src/reconciler/expiry.test.ts',
  'packages/provisioning/src/features/operator/operator.test.ts',
  'packages/provisioning/src/reconciler/refusals.test.ts',
  'packages/provisioning/src/stacks/stack-reports.test.ts',
  'packages/platform/src/features/simulation/automatic.test.ts',
  'packages/provisioning/src/reconciler/reconciler.test.ts',
  'packages/platform/src/features/webhooks/delivery/deliveries.test.ts',
  'packages/kit/src/database/session-lock.test.ts',
  'packages/host/src/metrics/metrics.test.ts',
  'packages/host/src/metrics/metrics-outage.test.ts',
  'acceptance/browser/shell-first-steps.test.ts',
  'acceptance/browser/shell-work.test.ts',
  'acceptance/documents/documents.test.ts',
  'acceptance/browser/shell-building.test.ts',
  'acceptance/browser/portal.test.ts',
  'acceptance/start/start.test.ts',
  'acceptance/browser/shell-modules.test.ts',
  'acceptance/cli/module.test.ts',
  'acceptance/mqtt/mqtt.test.ts',
  'acceptance/browser/shell-tables.test.ts',
  'acceptance/start/external-postgres.test.ts',
  'acceptance/browser/shell-flows.test.ts',
  'acceptance/start/connections.test.ts',
  'acceptance/mqtt/external-broker.test.ts',
  'acceptance/provisioning/lifecycle.test.ts',
  'acceptance/browser/shell-time.test.ts',
  'acceptance/start/doctor.test.ts',
  'acceptance/browser/reference.test.ts',
  'acceptance/cli/platform.test.ts',
  'acceptance/browser/shell-overview.test.ts',
  'acceptance/browser/shell-model.test.ts',
  'acceptance/identity/moved.test.ts',
  'acceptance/start/crash.test.ts',
  'acceptance/start/operator-commands.test.ts',
  'acceptance/browser/shell-people.test.ts',
  'acceptance/start/operator.test.ts',
  'acceptance/start/traces.test.ts',
  'acceptance/stacks/due-work.test.ts',
  'acceptance/browser/cookie-fixation.test.ts',
  'acceptance/cli/sandbox.test.ts',
  'acceptance/start/production.test.ts',
]

/** Starts the slow files first, so that none of them runs alone at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = SLOW.findIndex((path) => moduleId.endsWith(path))
      return rank < 0 ? SLOW.length : rank
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
