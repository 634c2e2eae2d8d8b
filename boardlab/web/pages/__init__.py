"""The pages of the arena, in the order of the header: a line each."""

from boardlab.web.page import Page
from boardlab.web.pages import analyse, compete, home, library, play, train

PAGES: tuple[Page, ...] = (
    home.PAGE,
    play.PAGE,
    analyse.PAGE,
    train.PAGE,
    compete.PAGE,
    library.PAGE,
)
