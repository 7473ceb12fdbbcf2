// Passkeys in the place of codes, and new passkeys. Pages work without it, with an app.
;(() => {
  if (!window.PublicKeyCredential) return
  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '')
  const known = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }))

  const ask = async (address, form) => {
    const fields = new URLSearchParams()
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value)
    fields.set('act', new URL(form.action).pathname)
    const answer = await fetch(address, { method: 'POST', body: fields })
    if (!answer.ok || answer.redirected || !/json/.test(answer.headers.get('Content-Type'))) throw new Error()
    return answer.json()
  }
  const sign = async (options) => {
    const made = await navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        allowCredentials: known(options.allowCredentials),
      },
    })
    const { authenticatorData, clientDataJSON, signature, userHandle } = made.response
    return {
      id: made.id,
      rawId: text(made.rawId),
      type: made.type,
      clientExtensionResults: made.getClientExtensionResults(),
      response: {
        authenticatorData: text(authenticatorData),
        clientDataJSON: text(clientDataJSON),
        signature: text(signature),
        ...(userHandle ? { userHandle: text(userHandle) } : {}),
      },
    }
  }
  const make = async (options) => {
    const made = await navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: known(options.excludeCredentials),
      },
    })
    const { clientDataJSON, attestationObject } = made.response
    return {
      id: made.id,
      rawId: text(made.rawId),
      type: made.type,
      clientExtensionResults: made.getClientExtensionResults(),
      response: { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject) },
    }
  }

  // In the place of a code: the form is sent with the signature in the field of the code.
  for (const box of document.querySelectorAll('[data-passkey]')) {
    const form = box.closest('form') || box.parentNode.querySelector('form')
    box.hidden = false
    box.querySelector('button').addEventListener('click', async () => {
      try {
        const field = form.elements[box.dataset.field]
        field.value = JSON.stringify(await sign(await ask(box.dataset.passkey, form)))
        form.submit()
      } catch {
        box.querySelector('output').textContent = box.dataset.failed
      }
    })
  }

  // A new one: made when the form is sent, unless it asks for something else first.
  for (const box of document.querySelectorAll('[data-make-passkey]')) {
    const form = box.querySelector('form')
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      try {
        form.elements.response.value = JSON.stringify(await make(await ask(box.dataset.makePasskey, form)))
      } catch {
        // The page says what was wrong.
      }
      form.submit()
    })
  }
})()
