import StratusTool

StratusTool.main()
