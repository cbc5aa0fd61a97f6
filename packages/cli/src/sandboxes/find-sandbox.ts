import type { SandboxRecord } from '@storey/sdk'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'

/** A sandbox that the user named. */
export interface FoundSandbox {
  sandboxId: string
  /** Absent if the user gave the id, because then no lookup is needed. */
  record?: SandboxRecord
}

export const isSandboxId = (reference: string): boolean => /^sbx_[0-9a-z]+$/i.test(reference)

/** Finds a sandbox by its id, its slug, or its name if that is unique. */
export async function findSandbox(context: Context, reference: string): Promise<FoundSandbox> {
  if (isSandboxId(reference)) return { sandboxId: reference }
  const { sandboxes } = await context.provisioning()
  const rows: SandboxRecord[] = []
  for await (const row of sandboxes.listAll()) rows.push(row)
  const found = matching(rows, reference)
  if (found.length === 1) return { sandboxId: found[0]!.sandboxId, record: found[0]! }
  if (found.length === 0) {
    throw new CliError(`No sandbox of yours has the id, slug or name "${reference}".`, {
      code: 'NO_SUCH_SANDBOX',
      next: rows.length === 0 ? 'Create one with `svc sandbox create`.' : '`svc sandbox list` shows yours.',
    })
  }
  throw new CliError(`${found.length} sandboxes are called "${reference}".`, {
    code: 'WHICH_SANDBOX',
    next: `Use an id or a slug: ${found.map(({ sandboxId, slug }) => `${sandboxId} (${slug})`).join(', ')}.`,
    members: { sandboxIds: found.map(({ sandboxId }) => sandboxId) },
  })
}

/** The sandboxes with this slug or name. Case is ignored only if none matches exactly. */
function matching(rows: readonly SandboxRecord[], reference: string): SandboxRecord[] {
  const exact = rows.filter(({ slug, name }) => slug === reference || name === reference)
  if (exact.length > 0) return exact
  const folded = reference.toLowerCase()
  return rows.filter(({ slug, name }) => slug === folded || name.toLowerCase() === folded)
}
