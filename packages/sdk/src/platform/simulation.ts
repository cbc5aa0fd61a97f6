import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { InjectedRecord, Injection, SimulationCommand, SimulationRecord } from '../wire.ts'
import { verbs } from './resource.ts'

/**
 * Simulates the building: the simulator writes observations as the equipment of the building would.
 *
 * @stable
 */
export interface SimulationApi {
  get(options?: CallOptions): Promise<SimulationRecord>
  set(command: SimulationCommand, options?: ChangeOptions): Promise<SimulationRecord>
  inject(fault: Injection, options?: CallOptions): Promise<InjectedRecord>
  /** Ends an injected fault early. */
  endFault(injectionId: string, options?: CallOptions): Promise<void>
  /** @deprecated Use `endFault`. */
  mend(injectionId: string, options?: CallOptions): Promise<void>
}

export function simulationApi(http: HttpClient, building: string): SimulationApi {
  const simulation = `${building}/simulation`
  const injections = verbs(http, `${simulation}/inject`)
  return {
    get: (options) => http.json({ ...options, method: 'GET', path: simulation }),
    set: (body, options) => http.json({ ...options, method: 'POST', path: simulation, body }),
    inject: injections.create,
    endFault: injections.delete,
    mend: injections.delete,
  }
}
