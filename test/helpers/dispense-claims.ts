import type { TestService } from './test-service.ts'

/** The claims on a charge, oldest first; one with `commanded` is one command that may have left. */
export const claimsOf = (service: TestService, chargeId: string) =>
  service.rows<{ state: string; commanded: boolean; kind: string; machine: string }>(
    `select state, commanded_at is not null as commanded, kind, machine from dispense_claims
     where charge_id = $1 order by claimed_at, attempt`,
    [chargeId],
  )

/** How many commands may have left for a charge, ever. */
export const commandsOf = async (service: TestService, chargeId: string): Promise<number> =>
  (await claimsOf(service, chargeId)).filter(({ commanded }) => commanded).length
