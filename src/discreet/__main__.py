"""python -m discreet"""

from discreet.cli import main

if __name__ == "__main__":  # a worker process of the app imports this file under another name
    main()
