import { type Problem, problems } from '@storey/contract'

/** A credential of an account that the operator has disabled gets the same status and code as an unknown one. */
export const accountDisabled = (detail: string): Problem =>
  problems.unauthenticated(`${detail}: ask the operator of the service`)
