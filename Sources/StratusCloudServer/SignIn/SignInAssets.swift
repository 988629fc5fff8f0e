import StratusCloudCrypto
import StratusCloudModel

/// The style and the script of the sign-in pages. They are the same for everybody, and the pages allow them by their
/// hashes and nothing else.
enum SignInAssets {
    /// `'sha256-…'` of ``style``, for the content security policy.
    static let styleHash = hash(of: style)
    /// `'sha256-…'` of ``script``.
    static let scriptHash = hash(of: script)

    static func hash(of text: String) -> String {
        let digest: [UInt8] = Base64.encode(SHA256.hash(Array(text.utf8)))
        return "'sha256-" + String(decoding: digest, as: UTF8.self) + "'"
    }

    /// What the page tells the window that opened it stands in attributes of the body. The opener takes the first
    /// message it gets for the answer, so exactly one is sent; of several origins only the opener's own receives it.
    static let script = """
        "use strict";
        (() => {
          const data = document.body.dataset;
          const opener = window.opener && !window.opener.closed ? window.opener : null;
          let told = false;
          const tell = (message) => {
            if (told || !opener) return;
            told = true;
            for (const origin of JSON.parse(data.origins)) opener.postMessage(message, origin);
            window.close();
          };
          const show = (id) => { const part = document.getElementById(id); if (part) part.hidden = false; };
          if (data.token) {
            const token = data.token;
            delete data.token;
            if (opener) tell({ ckSession: token, ckWebAuthToken: token }); else show("orphan");
            return;
          }
          const cancel = document.getElementById("cancel");
          if (cancel && opener) {
            show("cancel");
            cancel.addEventListener("click", () => tell({ errorMessage: "Sign-in was cancelled." }));
          }
        })();
        """

    static let style = """
        :root { color-scheme: light dark; --text: #1d1d1f; --soft: #6e6e73; --back: #f5f5f7; --card: #fff;
          --line: #8e8e93; --rule: #e0e0e5; --tint: #0060c7; --tint-text: #fff; --alert: #b3001b; --alert-back: #fdecee; }
        @media (prefers-color-scheme: dark) { :root { --text: #f5f5f7; --soft: #a1a1a6; --back: #000;
          --card: #1c1c1e; --line: #6e6e73; --rule: #38383b; --tint: #4aa3ff; --tint-text: #00142b; --alert: #ff9aa5;
          --alert-back: #3a1519; } }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
          background: var(--back); color: var(--text);
          font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        main { width: 100%; max-width: 25rem; background: var(--card); border-radius: 1.25rem; padding: 2rem;
          box-shadow: 0 .5rem 2rem rgb(0 0 0 / .08); }
        .brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1.25rem; font-weight: 600;
          color: var(--soft); }
        .brand svg { width: 1.75rem; height: 1.75rem; fill: var(--tint); }
        h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.01em; }
        p { margin: 0 0 1.25rem; color: var(--soft); overflow-wrap: anywhere; }
        p strong { color: var(--text); font-weight: 600; }
        label.field { display: block; font-size: .875rem; font-weight: 500; margin: 0 0 .3rem; }
        input[type=text], input[type=password], select { width: 100%; font: inherit; color: inherit; padding: .7rem .85rem;
          margin: 0 0 1rem; background: transparent; border: 1px solid var(--line); border-radius: .7rem; }
        select { color: var(--text); background: var(--card); margin-bottom: 1.5rem; text-overflow: ellipsis; }
        input:focus-visible, select:focus-visible, button:focus-visible { outline: 3px solid var(--tint); outline-offset: 1px; }
        .keep { display: flex; align-items: center; gap: .6rem; margin: .25rem 0 1.25rem; }
        .keep input { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--tint); }
        .aside { margin: 1rem 0 0; text-align: center; font-size: .9rem; }
        .alert { color: var(--alert); background: var(--alert-back); border-radius: .7rem; padding: .7rem .85rem; }
        .actions { display: flex; gap: .75rem; }
        button { flex: 1; font: inherit; font-weight: 600; padding: .75rem 1rem; border: 0; border-radius: .7rem;
          cursor: pointer; background: var(--tint); color: var(--tint-text); }
        button.quiet { background: transparent; color: var(--tint); border: 1px solid var(--line); }
        h2 { font-size: 1.1rem; margin: 0 0 .35rem; }
        section { margin: 1.75rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--rule); }
        section form + p { margin: 1rem 0 .6rem; }
        ul { list-style: none; margin: 0; padding: 0; }
        li + li { margin-top: 1.25rem; }
        li strong { overflow-wrap: anywhere; }
        li p { margin-bottom: .6rem; }
        a { color: var(--tint); }
        .done { color: var(--text); background: var(--back); border: 1px solid var(--line); border-radius: .7rem;
          padding: .7rem .85rem; }
        footer { margin: 1.75rem 0 0; font-size: .875rem; } footer p { margin: 0; }
        ::selection { background: var(--tint); color: var(--tint-text); }
        main.wide { max-width: 32rem; }
        .shared { display: flex; align-items: center; gap: 1rem; margin: 0 0 1.25rem; }
        .shared h1 { overflow-wrap: anywhere; } .shared p { margin: 0; }
        .shared img, .shared .cover { flex: none; width: 4rem; height: 4rem; border-radius: 1rem; object-fit: cover;
          background: var(--back); }
        .cover { display: grid; place-items: center; } .cover svg { width: 2rem; height: 2rem; fill: var(--tint); }
        .facts { margin: 0 0 1.5rem; } .facts div { display: flex; gap: 1rem; padding: .55rem 0;
          border-bottom: 1px solid var(--rule); } .facts div:first-child { border-top: 1px solid var(--rule); }
        .facts dt { flex: 0 0 6.5rem; color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
        a.button { display: block; text-align: center; font-weight: 600; padding: .75rem 1rem; border-radius: .7rem;
          background: var(--tint); color: var(--tint-text); text-decoration: none; margin: 0 0 1rem; }
        a.button.quiet { background: transparent; color: var(--tint); border: 1px solid var(--line); }
        h2 + code, h2 + a.button { margin-top: .75rem; }
        a.button:focus-visible, summary:focus-visible { outline: 3px solid var(--tint); outline-offset: 1px; }
        code { display: block; font: .875rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--back);
          color: var(--text); border-radius: .7rem; padding: .7rem .85rem; margin: 0 0 1.25rem; overflow-wrap: anywhere;
          user-select: all; }
        .actions + form, form + .actions, form + form { margin-top: .75rem; }
        button.stop { background: var(--alert); color: var(--card); }
        .rows { border: 1px solid var(--rule); border-radius: .9rem; overflow: hidden; margin: .75rem 0 1rem; }
        .rows > li { margin: 0; padding: .8rem 1rem; } .rows > li + li { border-top: 1px solid var(--rule); }
        .rows > li:has(> details) { padding: 0; } .rows details { margin: 0; } .rows summary { padding: .8rem 1rem; }
        .rows details[open] > form { padding: 0 1rem 1rem; }
        .rows p { margin: 0; font-size: .875rem; } .rows p + form { margin-top: .75rem; } .rows code { margin: .5rem 0 .75rem; }
        details:not([open]) > :not(summary) { display: none; }
        summary { cursor: pointer; } summary strong { font-weight: 600; }
        details.more { margin: 0 0 1rem; } details.more > summary { color: var(--tint); font-weight: 600; padding: .35rem 0; }
        details.more > form, details.more > p { margin-top: .75rem; }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 .75rem; } .pair:not(:has(:nth-child(2))) { display: block; }
        .rows select, .pair select { margin-bottom: .9rem; }
        [hidden] { display: none !important; }
        @media (max-height: 38rem) { body { padding: .5rem; } main { padding: 1rem 1.75rem; }
          .brand, p { margin-bottom: .6rem; } h1 { font-size: 1.3rem; }
          input[type=text], input[type=password], select { padding: .5rem .75rem; margin-bottom: .6rem; }
          .keep { margin-bottom: .75rem; } .alert { padding: .4rem .75rem; } button { padding: .6rem 1rem; } }
        @media (max-width: 30rem) { .pair { display: block; } body { padding: 0; place-items: stretch; background: var(--card); }
          main, main.wide { box-shadow: none; border-radius: 0; max-width: none; padding: 1.5rem; } }
        """
}
