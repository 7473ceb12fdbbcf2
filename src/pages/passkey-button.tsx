type PasskeyButtonProps = { challenge: string; says: string; failed: string; field: string }

/**
 * A button for a passkey in the place of a code. Only the script shows it, where the browser knows passkeys: it asks `challenge`
 * for something to sign and puts the answer into the field of this name.
 */
export const PasskeyButton = ({ challenge, says, failed, field }: PasskeyButtonProps) => (
  <p hidden data-passkey={challenge} data-field={field} data-failed={failed}>
    <button type="button" class="button plain">
      {says}
    </button>
    <output class="hint" />
  </p>
)
