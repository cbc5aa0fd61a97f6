import type { StoreyError } from '@storey/sdk'
import { type Locale, problemTitle } from '@storey/web'
import { refusalReason } from '../imports/refusal-reasons.ts'

/**
 * Why the API refuses a value of a layer. The English text is the detail of the problem. The Russian text is the
 * translated title of the problem, followed by the reason if there is a translation of the reason.
 */
export function refusedValue(problem: StoreyError['problem'], locale: Locale): string {
  if (locale === 'en') return problem.detail ?? ''
  const english = /: (it .*)$/.exec(problem.detail ?? '')?.[1] ?? ''
  const reason = refusalReason(english, locale, () => undefined)
  const title = problemTitle(problem, locale)
  return reason === english ? title : `${title}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
}
