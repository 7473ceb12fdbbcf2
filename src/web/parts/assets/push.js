// Switches messages about payments on for this browser: asks the person, then its message service, and sends what that gave with the form.
;(() => {
  const box = document.querySelector('[data-push]')
  if (!box) return
  const form = box.querySelector('form')
  const say = (what) => {
    box.querySelector('output').textContent = box.dataset[what]
  }
  box.hidden = false
  if (!navigator.serviceWorker || !window.PushManager || !window.Notification) {
    form.hidden = true
    return say('cannot')
  }
  const subscribe = async () => {
    const { pushManager } = await navigator.serviceWorker.ready
    const key = box.dataset.push.replace(/-/g, '+').replace(/_/g, '/')
    const options = {
      userVisibleOnly: true,
      applicationServerKey: Uint8Array.from(atob(key), (one) => one.charCodeAt(0)),
    }
    try {
      return await pushManager.subscribe(options)
    } catch {
      // One under another key, from before this installation had its own.
      await (await pushManager.getSubscription())?.unsubscribe()
      return pushManager.subscribe(options)
    }
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    try {
      if ((await Notification.requestPermission()) !== 'granted') return say('denied')
      const { endpoint, keys } = (await subscribe()).toJSON()
      Object.assign(form.elements.endpoint, { value: endpoint })
      Object.assign(form.elements.p256dh, { value: keys.p256dh })
      Object.assign(form.elements.auth, { value: keys.auth })
      form.submit()
    } catch {
      say('failed')
    }
  })

  const mark = async () => {
    const { pushManager } = await navigator.serviceWorker.ready
    const subscription = await pushManager.getSubscription()
    if (!subscription) return
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint))
    const hex = [...new Uint8Array(hash)].map((one) => one.toString(16).padStart(2, '0')).join('')
    const own = document.querySelector(`[data-device="${hex}"]`)
    if (own) own.hidden = false
  }
  mark().catch(() => {})
})()
