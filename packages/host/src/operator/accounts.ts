import { systemClock } from '@storey/kit/clock'
import { StartupError } from '@storey/kit/startup-error'
import { type AccountChange, createOrganizations, disableAccount, enableAccount } from '@storey/provisioning/operator'
import { needed } from './arguments.ts'
import type { Command, CommandDeps } from './command.ts'

const ACCOUNT = 'the email address or id of a developer'

const organizationsOf = ({ control }: CommandDeps) => createOrganizations({ control, clock: systemClock })

const createOrganization: Command = {
  argument: 'a name',
  async run(deps, { subject }) {
    const { id, name } = await organizationsOf(deps).create(needed(subject, 'a name'))
    await deps.record(deps.control, { command: 'org create', subject: id, details: { name } })
    return { text: id, json: { id, name } }
  },
}

const invite: Command = {
  argument: 'an email address',
  options: ['org'],
  async run(deps, { subject, options }) {
    const address = needed(subject, 'an email address')
    const organization = needed(options.org, '--org')
    const realm = await ownRealm(deps)
    let renewed: { oneTimePassword: string } | undefined
    // An earlier command may have been killed before it created the account in the realm, or before it printed the
    // password. In both cases the callback returns true, and this command completes the invitation.
    const developer = await organizationsOf(deps).invite(address, organization, async (known) => {
      if (realm === undefined) return false
      renewed = await realm.renewInvitation(known.id)
      return renewed !== undefined || (await realm.find(known.email)) === undefined
    })
    const { id, email, organizationId } = developer
    const details = { email, organizationId }
    await deps.record(deps.control, { command: 'account invite', subject: id, details })
    const row = [id, email, organizationId]
    if (realm === undefined) return { text: row.join('\t'), json: developer }
    const { oneTimePassword } = renewed ?? (await realm.create(developer))
    return { text: [...row, oneTimePassword].join('\t'), json: { ...developer, oneTimePassword } }
  },
}

/** The embedded realm of developers; undefined with an external provider, which has its own accounts. */
async function ownRealm({ openRealms }: CommandDeps) {
  const { identity, developersIssuer } = await openRealms()
  return identity?.issuers.developers === developersIssuer ? identity.developers : undefined
}

const disable: Command = {
  argument: ACCOUNT,
  options: ['keep-sandboxes'],
  async run(deps, { subject, options }) {
    const name = needed(subject, ACCOUNT)
    const realm = await ownRealm(deps)
    const change = await disableAccount(deps, name, {
      keepSandboxes: options['keep-sandboxes'],
      ...(realm ? { setDisabledInRealm: realm.setDisabled } : {}),
    })
    if (await deps.service.isRunning()) {
      const stopped = new Set([...change.sandboxes.map(({ id }) => id), ...change.revokedIn])
      await Promise.all([...stopped].map((sandboxId) => deps.service.ask({ kind: 'stop_stack', sandboxId })))
    }
    const kept = change.openSandboxes
    const effects = [
      change.isChanged
        ? `Disabled ${nameOf(change)}: its sessions, tokens and keys are refused.`
        : `${nameOf(change)} was disabled already.`,
      ...(change.sandboxes.length > 0 ? [`Suspended sandboxes: ${slugs(change)}.`] : []),
      ...(kept > 0 ? [`The tokens of its sandboxes that are not suspended (${kept}) stay valid.`] : []),
      ...(realm ? [] : ['Disable the account at your identity provider too.']),
    ]
    return { text: effects.join(' '), json: toJson(change) }
  },
}

const enable: Command = {
  argument: ACCOUNT,
  async run(deps, { subject }) {
    const name = needed(subject, ACCOUNT)
    const realm = await ownRealm(deps)
    const change = await enableAccount(deps, name, realm ? { setDisabledInRealm: realm.setDisabled } : {})
    const effects = [
      change.isChanged ? `Enabled ${nameOf(change)}.` : `${nameOf(change)} was not disabled.`,
      ...(change.sandboxes.length > 0 ? [`Resumed sandboxes: ${slugs(change)}.`] : []),
      ...(realm ? [] : ['If the account is disabled at your identity provider too, enable it there.']),
    ]
    return { text: effects.join(' '), json: toJson(change) }
  },
}

const nameOf = ({ developer: { id, email } }: AccountChange) => (email === null ? id : `${email} (${id})`)
const slugs = ({ sandboxes }: AccountChange) => sandboxes.map(({ slug }) => slug).join(', ')

function toJson({ developer: { id, email, organizationId }, isChanged, sandboxes, openSandboxes }: AccountChange) {
  return { id, email, organizationId, isChanged, sandboxes, openSandboxes }
}

const session: Command = {
  argument: 'an email address',
  async run(deps, { subject }) {
    const { identity, developersIssuer } = await deps.openRealms()
    if (identity?.issuers.developers !== developersIssuer) {
      throw new StartupError(`Sessions are issued by ${developersIssuer}: sign in there.`)
    }
    const email = needed(subject, 'an email address')
    const developer = await identity.developers.find(email)
    if (!developer) throw new StartupError(`Developer ${email} not found.`)
    const token = await identity.portalToken(developer.id)
    await deps.record(deps.control, { command: 'session', subject: developer.id, details: { email: developer.email } })
    return { text: token, json: { token } }
  },
}

export const ACCOUNT_COMMANDS: Record<string, Command> = {
  'org create': createOrganization,
  'account invite': invite,
  'account disable': disable,
  'account enable': enable,
  session,
}
