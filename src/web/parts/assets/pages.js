// Improves pages that work without it: copy buttons, and parts that change while something is under way.
;(() => {
  // Of a surface that can be installed. A browser that refuses goes on without.
  if (document.querySelector('link[rel=manifest]'))
    navigator.serviceWorker?.register('/dashboard/sw.js', { scope: '/dashboard' }).catch(() => {})

  // A browser that is signed out by hand shows no messages any more. Its message service may not answer.
  const LEAVE_MS = 2000
  for (const form of navigator.serviceWorker?.controller
    ? document.querySelectorAll('form[action$="/sign-out"]')
    : [])
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const leave = async () => {
        const { pushManager } = await navigator.serviceWorker.ready
        await (await pushManager?.getSubscription())?.unsubscribe()
      }
      const late = new Promise((resolve) => setTimeout(resolve, LEAVE_MS))
      Promise.race([leave().catch(() => {}), late]).then(() => form.submit())
    })

  const QUICK_MS = 2000
  const SLOW_MS = 10000
  const QUICK_FOR_MS = 60000

  for (const pre of document.querySelectorAll('pre[data-copy]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button plain'
    button.textContent = pre.dataset.copy
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent)
      button.textContent = pre.dataset.copied
      setTimeout(() => {
        button.textContent = pre.dataset.copy
      }, 2000)
    })
    if (navigator.clipboard) pre.parentNode.append(button)
  }

  // The end of an id copies the whole of it.
  for (const code of navigator.clipboard ? document.querySelectorAll('code[data-id]') : []) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'id'
    button.title = code.title
    button.setAttribute('aria-label', code.dataset.copy)
    button.textContent = code.textContent
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.dataset.id)
      button.textContent = code.dataset.copied
      setTimeout(() => {
        button.textContent = code.textContent
      }, 2000)
    })
    code.replaceWith(button)
  }

  // The value of a column of a chart stands above the drawing while a finger or a mouse is on it.
  const sayColumn = ({ target }) => {
    const says = target.closest?.('.chart rect')?.querySelector('title')?.textContent
    const place = says && target.closest('.chart').querySelector('.touched')
    if (place) place.textContent = says
  }
  document.addEventListener('pointerdown', sayColumn)
  document.addEventListener('pointerover', sayColumn)

  // A row of a list leads where its link leads.
  document.addEventListener('click', (event) => {
    const row = event.target.closest('.rows tbody tr')
    const link = row?.querySelector('.go')
    if (!link || event.target.closest('a, button, input, label, summary') || String(getSelection())) return
    if (event.ctrlKey || event.metaKey) open(link.href)
    else link.click()
  })
  for (const body of document.querySelectorAll('.rows tbody')) body.classList.add('scripted')

  // What was typed into a form is kept in this window until the next page, because the session may have ended meanwhile: the same person
  // who signs in again comes back to the page and finds it there. Never a password, a code, a token or a file.
  const KEPT = 'kept-form'
  const KEPT_MS = 15 * 60000
  const SENT_MS = 8000
  const LEFT_OUT = ['hidden', 'password', 'file', 'submit', 'button']
  const who = document.body.dataset.who
  const here = location.pathname + location.search
  const ownFields = (form) =>
    [...form.elements].filter(
      ({ name, type, autocomplete }) =>
        name && name !== 'confirm' && !LEFT_OUT.includes(type) && autocomplete !== 'one-time-code',
    )
  const kept = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT))
    } catch {
      return null
    }
  }
  const keep = (one) => {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(one))
    } catch {
      // A window without storage keeps nothing.
    }
  }
  const giveBack = (last) => {
    const form = [...document.forms].find((one) => one.getAttribute('action') === last.action)
    if (!form) return
    ownFields(form).forEach((field, nth) => {
      const [name, value, checked] = last.fields[nth] ?? []
      if (name !== field.name) return
      if (['checkbox', 'radio'].includes(field.type)) field.checked = checked
      else field.value = value
    })
    for (let box = form.closest('details'); box; box = box.parentElement.closest('details')) box.open = true
    form.scrollIntoView({ block: 'center' })
  }
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sentAt
  })
  const last = kept()
  if (who) {
    keep(null)
    if (last?.lost && last.who === who && last.page === here && Date.now() - last.at < KEPT_MS) giveBack(last)
    document.addEventListener('submit', (event) => {
      const form = event.target
      if (form.method !== 'post') return
      // The second of two taps. The form is done once in any case, but the browser would show only the answer to the second.
      if (Number(form.dataset.sentAt) > Date.now() - SENT_MS) return event.preventDefault()
      if (form.elements.form) form.dataset.sentAt = Date.now()
      const fields = ownFields(form).map(({ name, value, checked }) => [name, value, checked])
      keep({ who, page: here, action: form.getAttribute('action'), fields, at: Date.now() })
    })
  } else if (last && document.querySelector('form[action$="/sign-in"]')) keep({ ...last, lost: true })

  // A part names the address of its newer self in `data-live`. It is asked for while the page is seen, less often after a minute.
  const watch = (first) => {
    let part = first
    let seen = null
    const since = Date.now()
    const next = () => setTimeout(look, Date.now() - since < QUICK_FOR_MS ? QUICK_MS : SLOW_MS)
    const look = async () => {
      if (document.hidden) return next()
      try {
        const answer = await fetch(part.dataset.live, { headers: seen ? { 'If-None-Match': seen } : {} })
        if (answer.status === 200 && !answer.redirected) {
          const made = new DOMParser().parseFromString(await answer.text(), 'text/html')
          // The last one has no address of its own.
          const fresh = made.querySelector('[data-live]') ?? made.body.firstElementChild
          // What somebody works in is left alone until the next look.
          const busy = part.contains(document.activeElement)
          if (fresh && !busy) {
            part.replaceWith(document.adoptNode(fresh))
            part = fresh
          }
          seen = busy ? null : answer.headers.get('ETag')
          if (answer.headers.get('X-Part') === 'final' && !busy) return
        } else if (answer.status !== 304) return
      } catch {
        // A bad network: the next look may find it again.
      }
      next()
    }
    next()
  }
  for (const part of document.querySelectorAll('[data-live]')) watch(part)
})()
