/// What stands behind the `#` of a share's link, such as the key of encrypted values: the browser keeps it to itself, and so
/// must the pages. Only a script can carry it on; everything else works without.
enum LinkFragment {
    /// `'sha256-…'` of ``script``, for the content security policy.
    static let scriptHash = SignInAssets.hash(of: script)

    /// Keeps the fragment in the browser's address while the page's forms are answered, and puts it where the page shows the
    /// link. Forms do not send it, nor do browsers: it is in no request. What could be anything but a key or a name is left
    /// alone, so that nobody's link writes a command into a page.
    static let script = """
        "use strict";
        (() => {
          const fragment = location.hash;
          if (!/^#[A-Za-z0-9._~-]{1,256}$/.test(fragment)) return;
          for (const form of document.querySelectorAll(`form[action="${CSS.escape(location.pathname)}"]`)) {
            form.action = location.pathname + fragment;
          }
          for (const part of document.querySelectorAll("[data-link][data-template]")) {
            const link = part.dataset.link + fragment;
            const pieces = part.dataset.template.split("{url}");
            if (part.href) part.href = pieces.join(encodeURIComponent(link)); else part.textContent = pieces.join(link);
          }
        })();
        """
}
