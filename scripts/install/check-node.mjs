import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The versions of the user's Node and npm. `process.version` may be that of the Node in node_modules, because npm puts
 * that first in the PATH.
 */
export function userVersions(env = process.env, version = process.version) {
  const agent = env.npm_config_user_agent ?? ''
  return {
    node: /\bnode\/v(\S+)/.exec(agent)?.[1] ?? version.slice(1),
    npm: /\bnpm\/(\S+)/.exec(agent)?.[1],
  }
}

/** The Node range in `engines` of package.json: parts such as `^20.19.0` or `>=22.12.0`, joined by `||`. */
export function supportedNode(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node
}

export function isSupported(version, range) {
  const own = numbers(version)
  return range.split('||').some((alternative) => {
    const [, operator, least] = /^\s*(\^|>=)\s*(\S+)\s*$/.exec(alternative) ?? []
    if (operator === undefined) throw new Error(`engines.node: cannot read ${alternative}`)
    const wanted = numbers(least)
    return isAtLeast(own, wanted) && (operator === '>=' || own[0] === wanted[0])
  })
}

/** The range as text for a message: `20.19 or a later 20, or 22.12 or later`. */
export function rangeText(range) {
  const texts = range.split('||').map((alternative) => {
    const [major, minor] = numbers(alternative.replace(/[^\d.]/g, ''))
    return alternative.includes('^') ? `${major}.${minor} or a later ${major}` : `${major}.${minor} or later`
  })
  return texts.join(', or ')
}

/** Exits with one sentence if `engines` of package.json does not include the user's Node. */
export function checkNode(root) {
  const { node } = userVersions()
  const range = supportedNode(root)
  if (isSupported(node, range)) return
  process.stderr.write(
    `storey: this is Node ${node}, and Storey needs Node ${rangeText(range)}: see https://nodejs.org\n`,
  )
  process.exit(1)
}

const numbers = (version) => version.split('-')[0].split('.').map(Number)

function isAtLeast(version, least) {
  for (let i = 0; i < 3; i++) {
    const difference = (version[i] ?? 0) - (least[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
