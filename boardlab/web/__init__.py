"""The browser arena: a server, and pages that play, analyse, train and compete.

    from boardlab.web.app import create_app
    from boardlab.web.settings import Settings

    app = create_app(Settings())       # an ASGI application; `boardlab serve` runs it with uvicorn

`docs/architecture.md` explains the parts. The pages hold no game logic: they show what the server sends.
"""
