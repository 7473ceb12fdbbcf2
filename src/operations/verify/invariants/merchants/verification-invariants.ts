import type { Invariant } from '../invariant.ts'

/** Verifications compared with their applications. */
export const VERIFICATION_INVARIANTS: readonly Invariant[] = [
  {
    id: 'KY1',
    says: 'the newest application of a merchant says of its verification what the merchant itself says',
    counted: 'select count(*) from verifications',
    // A merchant without an application was verified by command before there were any, or when it was made.
    offenders: `select m.id as merchant_id, 'live' as mode, m.public_id as offender from merchants m
      cross join lateral (select v.state from verifications v where v.merchant_id = m.id order by v.number desc limit 1) a
      where not case a.state when 'approved' then m.kyc_status = 'verified' when 'rejected' then m.kyc_status = 'rejected'
        when 'submitted' then m.kyc_status = 'pending' else m.kyc_status <> 'verified' end`,
  },
]
