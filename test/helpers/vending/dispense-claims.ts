import type { TestService } from '../service/test-service.ts'

/** The claims on a charge, oldest first; each one with `commanded` is a command that may have been sent. */
export const claimsOf = (service: TestService, chargeId: string) =>
  service.rows<{ state: string; commanded: boolean; kind: string; machine: string }>(
    `select state, commanded_at is not null as commanded, kind, machine from dispense_claims
     where charge_id = $1 order by claimed_at, attempt`,
    [chargeId],
  )

/** How many commands may ever have been sent for a charge. */
export const commandsOf = async (service: TestService, chargeId: string): Promise<number> =>
  (await claimsOf(service, chargeId)).filter(({ commanded }) => commanded).length
