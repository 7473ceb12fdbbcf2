import { Said } from '../../pages/parts.tsx'

/** A phone, never broken over two lines, and below it the name. */
export const Phone = ({ phone, name = null }: { phone: string | null; name?: string | null }) => (
  <>
    <span class="money">
      <Said text={phone} />
    </span>
    {name !== null && name !== '' && (
      <div class="hint">
        <Said text={name} />
      </div>
    )}
  </>
)
