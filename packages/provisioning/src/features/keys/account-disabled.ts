import { type Problem, problems } from '@storey/contract'

/** A credential of an account that the operator has disabled is as good as none. */
export const accountDisabled = (detail: string): Problem =>
  problems.unauthenticated(`${detail}: ask the operator of the service`)
